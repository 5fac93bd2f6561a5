/** A file, key or receipt does not have the form that its specification demands. */
export class FormatError extends Error {
  /** @override */
  name = 'FormatError';
}

/** A signature, hash, proof or sum does not hold. */
export class VerificationError extends Error {
  /** @override */
  name = 'VerificationError';
}

/** The server does not answer, or not as a log does. Nothing is said about the log. */
export class SourceError extends Error {
  /** @override */
  name = 'SourceError';
}
