// A scene is what `stage` takes; this name is from before
export const drawn = (_, scene) => scene;
