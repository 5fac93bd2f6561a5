/** What an audit found to be wrong. */
export interface AuditProblem {
  /** `history`: not the continuation of what was audited before. `shown`: the service shows another count. */
  kind:
    | 'checkpoint'
    | 'witness'
    | 'history'
    | 'root'
    | 'tile'
    | 'entry'
    | 'sum'
    | 'shown'
    | 'receipt';
  message: string;
}

/** More are counted, but not kept: one bad bundle can break all that follows. */
const maxKept = 100;

export class Problems {
  readonly kept: AuditProblem[] = [];
  count = 0;

  add(kind: AuditProblem['kind'], message: string): void {
    this.count += 1;
    if (this.kept.length < maxKept) this.kept.push({ kind, message });
  }
}
