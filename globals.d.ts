// What the scripts find around them: tsc reads it (make check), no browser does.

// --- What the class of an explorer says about it (pe_lib/course/explorers/_base.py) ---

type Values = Record<string, any>;
type Trait = {
  type: string;
  min?: number | null;
  max?: number | null;
  below?: string;
  link?: string;
  values?: unknown[];
};
type Step = { says: string; state: Values; look?: string[] };
type Story = { steps: Step[]; task: string };
// `grid` and `training` add what else they need
type About = {
  kind: string;
  call: string;
  stories: Record<string, Story>;
  traits: Record<string, Trait>;
  picture?: string;
  worker?: string;
};

// --- Modules that the build of the site generates (_ext/sources.py) ---

// the sentences and usual numbers of pe_lib.doctor, its Python as JavaScript, and what numpy does entry by entry
declare module "#generated/doctor.mjs" {
  export const DATA: Values;
  export const TRANSLATED: (py: Values, np: Values) => Values;
  export const KERNELS: (ready: (given: any[], Kind: any) => Values) => Values;
}
// how a wrong answer may be related to the right one (pe_lib/course/grading/relations.toml)
declare module "#generated/relations.mjs" {
  export const RELATED: {
    name: string;
    words: string;
    times?: number;
    power?: number;
    plus?: number;
    whole?: boolean;
  }[];
  // the names of the rules that may change the result of a known mistake once more
  export const SECOND_CHANGES: string[];
}
// how wide each letter of the text's face is, in ems
declare module "#generated/widths.mjs" {
  export const WIDTHS: Record<string, number>;
}

// --- What the doctor looks at (_ext/doctor) ---

type Numbers = ArrayLike<number> & Iterable<number>;
// an array; or a configuration, for the others to be held against
type Given = { name: string; array?: Values; config?: Values };

// --- An explorer: what it uses of anywidget's contract; _ext/explorers/loader.js keeps as much ---

type Model = {
  get(name: string): any;
  set(name: string, value: any): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
};
type Widget = { model: Model; el: HTMLElement };
type Explorer = {
  render(widget: Widget): any;
  print(state: State, width: number): { alt: string; height: number; picture: string };
};

// the state of a scene: the values of its traits, and whatever its functions add
type State = any;
type Size = { w: number; h: number };
type Box = Point & Size;
type Pair = [number, number];
type Circle = Point & { r: number };
// a picture as data (scene/svg.mjs), and what can stand in one
type Tree = { tag: string; a: Values; kids: any[] };
type Marks = Tree | string | number | undefined | readonly Marks[];
type Parts = Record<string, (s: State, size: Size) => Box | undefined>;
type Scale = { at: (value: number) => number; of: (pixel: number) => number };
type Tick = (s: State, ms: number) => State;
// what a scene does with a key (scene/keys.mjs)
type Key = { right: number; up: number; page?: number; end?: number; shift: boolean };
// the limits of an explorer's traits (scene/limits.mjs)
type Limits = {
  traits: Record<string, Trait>;
  most: (s: State, name: string) => number;
  setValue: (s: State, name: string, value: any) => State;
  step: (s: State, name: string, by: number) => State;
  fits: (s: State) => boolean;
};
// what a hand holds, and the gestures of a scene (scene/hold.mjs)
type Hold = { on: any; to: (s: State, p: Point) => State; end?: (s: State) => State; [more: string]: any };
type Gestures = {
  down: (s: State, size: Size, p: Point) => State;
  move: (s: State, size: Size, p: Point) => State;
  up: (s: State) => State;
};
// a scene in the page (scene/live.mjs): where its state is kept, and what else may be asked of it
type LiveModel = {
  get: () => State;
  set: (s: State) => void;
  onDraw?: (s: State) => void;
  onRest?: (s: State) => void;
};
// what the stage of an explorer gives its story (frame/story.mjs)
type StoryStage = {
  start: State;
  traits: Record<string, Trait>;
  findAnswer: () => string;
  reveal: (at: number, isLit: boolean) => void;
  rest: () => void;
  update: () => void;
  differs: (state: State) => boolean;
  first?: number;
};
type LiveScene = {
  update: (change: (s: State) => State) => State;
  requestDraw: () => void;
  size: () => Size;
  stop: () => void;
};

type Hand = {
  grab: (point: Point) => any;
  move: (held: any, point: Point) => void;
  drop: (held: any) => void;
};
type Dial = Point & { r: number; frequency: number; start?: number };

type Point = { x: number; y: number };
// a row of the explorer's controls, and what brings it up to the model
type Control = { row: HTMLElement; refresh: () => void };

// --- What one script of a page leaves for another ---

type Kept = {
  kept(record: string): Values;
  keep(record: string, change: Values): void;
  forget(): void;
  root: URL;
  name(address: string): string;
  here: string;
};
type Review = { step: number; at: number; variant?: number };
type Again = {
  entry(key: string): Review | undefined;
  answered(key: string, right: boolean, variant: number): void;
  after(entry: Review | undefined, right: boolean, now: number): Review;
  isDue(entry: Review, now: number): boolean;
  dueOn(entry: Review): number;
  day(time: number): number;
};
type Found = { address: string; page: string; title: string; text: string; words: Set<string> };

declare var omKept: Kept;
declare var omAgain: Again;
declare var omMake: (tag: string, properties?: Values, ...children: (Node | string)[]) => any;
declare var omTick: (place: Element, isDone: unknown, label: string) => void;
declare var omQuiz: { start(form: HTMLFormElement, how?: Values): void };
declare var omPictures: Values;
declare var omQuestions: Record<string, string>;
declare var omScrolling: (part: ParentNode) => void;
declare var omPredictions: { ask: any; show: any; findEntry: any };
declare var omGuesses: Values;
declare var omExplorers: Record<string, Explorer>;
declare var omRecordings: Record<string, Record<string, unknown>> | undefined;
declare var omSearch: (query: string) => Promise<Found[]>;
declare var omSearchEngine: {
  options: (reading: Values) => Values;
  start(
    library: unknown,
    index: unknown,
  ): Promise<{ search: (query: string) => Found[]; missing: (query: string) => string[] }>;
  terms(text: string): string[];
};
declare var omSearchIndex: unknown;

// --- What others made ---

declare const MiniSearch: any;
declare const RevealNotes: unknown;
declare const Reveal: {
  initialize(options: Values): void;
  getConfig(): { height: number };
  on(event: string, heard: (event: any) => void): void;
};
declare module "node:*";
declare const process: { argv: string[]; exitCode?: number };

// --- What a page of the course is made of: HTML, whatever a selector asks for ---

interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface Element {
  closest<K extends keyof HTMLElementTagNameMap>(selector: K): HTMLElementTagNameMap[K] | null;
  closest<E extends Element = HTMLElement>(selectors: string): E | null;
}
interface HTMLFormControlsCollection {
  [name: string]: any;
}
// the target of an event is an element, or the document, which has none of these
interface EventTarget {
  closest?: Element["closest"];
  matches?: any; // a MediaQueryList, which is a target, too, has a boolean of this name
}
