/** Tries that one process has under way at most. */
const totalRoom = 256;
/** Of these, tries of endpoints that are slow or failing. */
const slowRoom = totalRoom / 2;
/** Tries that an endpoint has under way at most: as it begins, and once its answers prove quick. */
export const firstWidth = 4;
const fullWidth = 32;
/** An answer that takes longer is a slow one. */
const slowMilliseconds = 1000;

/** What was learned of an endpoint that is idle is forgotten after this; that it was slow, later. */
const rememberMilliseconds = 60_000;
const rememberSlowMilliseconds = 30 * 60_000;

interface Lane {
  width: number;
  underWay: number;
  /** When a try last ended, by performance.now(). */
  endedAt: number;
}

/** How many deliveries an endpoint may have taken for it now. */
export interface Room {
  endpointId: string;
  room: number;
}

/**
 * Shares a process's tries among endpoints. Each has its own lane, which widens with quick answers and
 * narrows to one try at a time with a slow or failed one, so that those who keep others waiting for their
 * answer hold little, and all of them together no more than half.
 */
export class Lanes {
  #lanes = new Map<string, Lane>();
  #underWay = 0;
  #slowUnderWay = 0;

  /** Tries that can begin now. */
  get free(): number {
    return totalRoom - this.#underWay;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** The room of every endpoint that has not the width of a new one. */
  rooms(): Room[] {
    this.#forgetIdle();
    const slowFull = this.#slowUnderWay >= slowRoom;
    return [...this.#lanes].map(([endpointId, { width, underWay }]) => ({
      endpointId,
      room: width === 1 && slowFull ? 0 : Math.max(0, width - underWay),
    }));
  }

  begin(endpointId: string): void {
    const lane = this.#lanes.get(endpointId) ?? { width: firstWidth, underWay: 0, endedAt: 0 };
    this.#lanes.set(endpointId, lane);
    lane.underWay += 1;
    this.#underWay += 1;
    this.#countSlow();
  }

  /** A try has ended, well or not, after so many milliseconds. */
  end(endpointId: string, well: boolean, milliseconds: number): void {
    const lane = this.#lanes.get(endpointId)!;
    lane.underWay -= 1;
    lane.endedAt = performance.now();
    this.#underWay -= 1;
    lane.width = well && milliseconds < slowMilliseconds ? Math.min(lane.width * 2, fullWidth) : 1;
    this.#countSlow();
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [endpointId, { width, underWay, endedAt }] of this.#lanes) {
      const kept = width === 1 ? rememberSlowMilliseconds : rememberMilliseconds;
      if (underWay === 0 && now - endedAt > kept) this.#lanes.delete(endpointId);
    }
  }

  #countSlow(): void {
    let slow = 0;
    for (const { width, underWay } of this.#lanes.values()) if (width === 1) slow += underWay;
    this.#slowUnderWay = slow;
  }
}
