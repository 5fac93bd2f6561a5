declare module 'fxa-common-password-list' {
  const commonPasswords: {
    /** Whether it is one of the most common passwords, which are in lower case. */
    test(password: string): boolean;
  };
  export default commonPasswords;
}
