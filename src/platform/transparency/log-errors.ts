/** A note, checkpoint, tile, entry, receipt or key does not have the form that its specification demands. */
export class LogFormatError extends Error {
  override name = 'LogFormatError';
}

/** A signature or proof does not hold for what it is given for. */
export class LogVerificationError extends Error {
  override name = 'LogVerificationError';
}
