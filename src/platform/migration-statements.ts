/** The database cannot be migrated, or is not migrated. The message says what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

export interface Statement {
  text: string;
  /** The index that it creates. */
  index?: string;
  isConcurrent: boolean;
}

/** Splits a file into statements, which end with `;` at the end of a line. Lines that begin with `--` are comments. */
export function parseStatements(name: string, text: string): Statement[] {
  const code = text.replaceAll(/^\s*--.*$/gm, '');
  const texts = code.split(/;[ \t\r]*$/m).map((part) => part.trim());
  return texts.filter(Boolean).map((statement) => {
    const isConcurrent = /^(create|drop|reindex)\b.*\bconcurrently\b/is.test(statement);
    if (!/^create\s+(unique\s+)?index\b/i.test(statement)) return { text: statement, isConcurrent };
    const [, index] =
      /\bindex\s+concurrently\s+if\s+not\s+exists\s+([\w.]+)\s+on\b/i.exec(statement) ?? [];
    if (index === undefined) {
      throw new MigrationError(
        `${name}: write an index as \`create index concurrently if not exists NAME on …\`.`,
      );
    }
    return { text: statement, index, isConcurrent };
  });
}
