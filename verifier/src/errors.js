/** A file, key or receipt does not have the form that its specification demands. */
export class FormatError extends Error {
  /** @override */
  name = 'FormatError';
}

/**
 * Why something does not hold, for programs that say it in their own words.
 * @typedef {'bad-signature' | 'unknown-log' | 'not-signed' | 'unsupported' | 'too-few-witnesses' | 'not-included' | 'not-yet' | 'other'} Reason
 */

/** A signature, hash, proof or sum does not hold. */
export class VerificationError extends Error {
  /** @override */
  name = 'VerificationError';
  /** @type {Reason} */
  reason;

  /**
   * @param {string} message
   * @param {Reason} [reason]
   */
  constructor(message, reason = 'other') {
    super(message);
    this.reason = reason;
  }
}

/** The server does not answer, or not as a log does. Nothing is said about the log. */
export class SourceError extends Error {
  /** @override */
  name = 'SourceError';
}
