/** Why a picture failed. */
export const failureCodes = ['unacceptable', 'damaged', 'too_slow'] as const;
export type FailureCode = (typeof failureCodes)[number];

/** What went wrong, and what to do. */
export const failureMessages: Record<FailureCode, string> = {
  unacceptable: 'This is no picture that can be shown. Send a JPEG, PNG, WebP, GIF or AVIF.',
  damaged: 'The file is damaged or cut off. Open it, save it again and send that.',
  too_slow: 'The picture takes too long to decode. Save it as a JPEG and send that.',
};
