// What is read below a picture, as the sentence that stands for it on paper
export const plain = (reading) => reading.replaceAll("**", "").replaceAll("\n", " ");
