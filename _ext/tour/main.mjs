import { mount } from "./mount.mjs";
import { scenes } from "./scenes.mjs";

for (const box of document.querySelectorAll(".om-scene > div")) mount(box, scenes[box.id]);
