// The playhead: a time in simulated seconds that plays, steps and can be dragged.

export class Timeline {
  /** Calls `moved` whenever the time changes, or playing starts or stops. */
  constructor(moved) {
    Object.assign(this, { moved, time: 0, end: 0, step: 0.01, playing: false, speed: 1, loops: true, follows: false });
  }

  /** Sets the last time and the time between frames. */
  setExtent(end, step) {
    const wasAtEnd = this.time >= this.end - 1e-9;
    Object.assign(this, { end, step });
    if (this.follows && wasAtEnd && !this.playing) this.time = end;
    this.time = Math.min(this.time, end);
  }

  /** Advances by seconds of the clock. Speed 1 is 30 frames a second, as in the movies. */
  tick(seconds) {
    if (!this.playing) return;
    this.time += seconds * 30 * this.step * this.speed;
    if (this.time >= this.end + this.step) {
      if (this.loops && !this.follows) this.time = 0;
      else [this.time, this.playing] = [this.end, false];
    }
    this.moved();
  }

  toggle() {
    if (!this.playing && this.time >= this.end - 1e-9) this.time = 0;
    this.playing = !this.playing;
    this.moved();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.end);
    this.moved();
  }

  /** Moves by whole frames and stops playing. */
  stepBy(frames) {
    this.playing = false;
    this.seek((Math.floor(this.time / this.step + 1e-6) + frames) * this.step);
  }
}
