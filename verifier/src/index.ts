export { audit, type AuditOptions, type AuditReport, type AuditSignature } from './audit.ts';
export { FormatError, SourceError, VerificationError } from './errors.js';
export { parseVerifierKey, verifyNote, type VerifierKey } from './notes.js';
export { parsePolicy, policyOf, verifyByPolicy, type Policy } from './policies.js';
export type { AuditProblem } from './problems.ts';
export {
  parseOpeningCode,
  parseReceipt,
  verifyOpening,
  verifyReceipt,
  type Receipt,
  type VerifiedReceipt,
} from './receipts.js';
