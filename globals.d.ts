// What the scripts find around them: tsc reads it (make check), no browser does.

// --- What a bundle holds before its modules (pe_lib/course/explorers/_bundle.py, _ext/doctor/__init__.py) ---

type Values = Record<string, any>;
type Trait = { type: string; min?: number | null; max?: number | null; values?: unknown[] };
type Step = { says: string; state: Values; look?: string };
type Story = { steps: Step[]; task: string };
type About = { kind: string; call: string; stories: Record<string, Story>; traits: Record<string, Trait> };

// what the explorer's class says about it; `layers` and `grid` add what they show
declare const ABOUT: About & { models?: any; picture?: string };
// each module as the function that makes it
declare const SOURCES: Record<string, () => Values>;
// the sentences and usual numbers of pe_lib.doctor, its Python as JavaScript, and what numpy does entry by entry
declare var DATA: Values;
declare var TRANSLATED: (py: Values, np: Values) => Values;
declare var KERNELS: (ready: (given: any[], Kind: any) => Values) => Values;
// how a wrong answer may be related to the right one (pe_lib/course/grading/relations.toml)
declare var RELATED: { name: string; words: string; times?: number; power?: number; plus?: number; whole?: boolean }[];

// --- The front page's scenes: how wide each letter of the text's face is, in ems ---
declare var WIDTHS: Record<string, number>;

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
type Explorer = { render(widget: Widget): any };

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
declare var omMade: (tag: string, properties?: Values, ...children: (Node | string)[]) => any;
declare var omTick: (place: Element, done: unknown, said: string) => void;
declare var omQuiz: { start(form: HTMLFormElement, how?: Values): void };
declare var omQuestions: Record<string, string>;
declare var omScrolling: (part: ParentNode) => void;
declare var omPredictions: { ask: any; show: any; findEntry: any };
declare var omGuesses: Values;
declare var omExplorers: Record<string, Explorer>;
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
declare const process: { argv: string[] };

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
