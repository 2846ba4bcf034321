export interface AudienceParams {
  /** 0: a turn goes on though nobody looks. */
  readonly abandonMs: number;
  readonly lookMs: number;
  /** A turn is open, and nobody has looked for `abandonMs`. */
  readonly onAbandoned: () => void;
  /** Every `lookMs` for as long as somebody looks. */
  readonly onLook: () => void;
}

/** Who looks at a conversation. No timer outlives the last viewer and the open turn. */
export class Audience {
  readonly #params: AudienceParams;
  #viewers = 0;
  #isTurnOpen = false;
  #abandon: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(params: AudienceParams) {
    this.#params = params;
  }

  enter(): void {
    this.#viewers += 1;
    if (!this.#isOver) this.#look ??= setInterval(this.#params.onLook, this.#params.lookMs);
    clearTimeout(this.#abandon);
  }

  leave(): void {
    this.#viewers -= 1;
    if (this.#viewers > 0) return;
    this.#stopLooking();
    this.#expect();
  }

  /** There is nothing more to see, also for viewers that have not left yet. */
  close(): void {
    this.#isOver = true;
    this.#stopLooking();
  }

  turnBegan(): void {
    this.#isTurnOpen = true;
    this.#expect();
  }

  turnEnded(): void {
    this.#isTurnOpen = false;
    clearTimeout(this.#abandon);
  }

  #stopLooking(): void {
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #expect(): void {
    const { abandonMs, onAbandoned } = this.#params;
    clearTimeout(this.#abandon);
    if (abandonMs > 0 && this.#isTurnOpen && this.#viewers === 0) this.#abandon = setTimeout(onAbandoned, abandonMs);
  }
}
