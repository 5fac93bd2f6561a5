import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTokens } from '../../test/support/people.ts';
import { silent } from '../../test/support/progress.ts';
import { startService, type Service } from '../../test/support/service.ts';
import { assertVerified } from '../../test/support/verify.ts';
import { importFile, readArguments, type ImportSettings } from './import.ts';

const text = 'This text says why and is long enough for a petition here.';

describe('import', () => {
  let service: Service;
  let folder: string;
  let files = 0;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'petitions-import-'));
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  async function write(content: string | Buffer): Promise<string> {
    const path = join(folder, `source-${++files}.csv`);
    await writeFile(path, content);
    return path;
  }

  /** Imports content. Returns the tally, the output and the imported rows. */
  async function run(content: string | Buffer, ...args: string[]) {
    const settings = readArguments([await write(content), ...args]) as ImportSettings;
    const said: string[] = [];
    const importing = (line: string) => void said.push(line);
    const tally = await importFile(service.ctx, settings, importing, silent);
    const rows = await service.ctx.pools.main`
      select p.*, i.external_id, u.email, u.password_hash, v.title as version_title,
        v.created_at as version_at
      from petition_imports i join petitions p on p.id = i.petition_id
      join users u on u.id = p.creator_id
      join petition_versions v on v.petition_id = p.id and v.version = 1
      where source = ${settings.source} order by external_id`;
    return { settings, said, tally, rows };
  }

  /** A file with all columns. */
  const full = (...rows: string[]) =>
    ['id,title,description,created_at,signature_count,signature_goal,status', ...rows].join('\n');

  it('keeps dates, counts, goals and states', async () => {
    const { rows, tally, settings } = await run(
      full(
        `a,Plant more trees,${text},2012-03-04T05:06:07Z,30018,25000,reviewed`,
        `b,Plant more trees,${text},2012-03-04 05:06:07+02:00,0,,open`,
        `c,Plant fewer trees,${text},2012-03-04,7,5,closed`,
        `d,Plant some trees,${text},2012-03-04,,,`,
      ),
    );
    assert.deepEqual(tally, { imported: 4, alreadyThere: 0, leftOut: 0 });
    const [a, b, c, d] = rows;
    assert.equal(a!.status, 'closed');
    assert.equal(a!.signature_count, 30018);
    assert.equal(a!.imported_signature_count, 30018);
    assert.equal(a!.signature_goal, 25000);
    assert.equal(a!.created_at.toISOString(), '2012-03-04T05:06:07.000Z');
    assert.deepEqual(a!.published_at, a!.created_at);
    assert.deepEqual(a!.version_at, a!.created_at);
    assert.equal(a!.version_title, 'Plant more trees');
    assert.equal(a!.closed_at, null);
    assert.equal(a!.email, `import+${settings.source}@petitions.test`);
    assert.equal(a!.password_hash, null);
    assert.equal(b!.status, 'active');
    assert.equal(b!.created_at.toISOString(), '2012-03-04T03:06:07.000Z');
    assert.deepEqual([a!.slug, c!.slug], ['plant-more-trees', 'plant-fewer-trees']);
    assert.match(b!.slug, /^plant-more-trees-[a-z0-9]{4,}$/);
    assert.equal(d!.status, 'closed');
    assert.deepEqual([d!.signature_count, d!.signature_goal], [0, null]);

    const events = await service.ctx.db`
      select petition_id, actor_type, actor_id, data from events where type = 'petition.imported'`;
    const eventOf = ({ id }: { id: string }, count: number) => ({
      petition_id: id,
      actor_type: 'system',
      actor_id: null,
      data: { count },
    });
    const byPetition = new Map(events.map((event) => [event.petition_id, { ...event }]));
    assert.equal(events.length, 4);
    for (const [row, count] of [
      [a!, 30018],
      [b!, 0],
      [c!, 7],
      [d!, 0],
    ] as const) {
      assert.deepEqual(byPetition.get(row.id), eventOf(row as { id: string }, count));
    }

    const shown = await service.api.get('/v1/petitions/plant-more-trees');
    assert.equal(shown.body.data.log_id, a!.log_id);
    assert.equal(shown.body.data.signature_count, 30018);
    assert.equal(shown.body.data.creator.petition_count, 4);
    // New signatures are added to the imported count.
    const [token] = await createTokens(service, 1);
    const path = `/v1/petitions/${b!.id}/signatures`;
    assert.equal((await service.api.as(token!).post(path)).body.data.signature_count, 1);
  });

  it('imports each row once, even if it runs again or twice at the same time', async () => {
    const rows = Array.from(
      { length: 1200 },
      (_, n) => `${n},Petition ${n},${text},2012-01-01,1,,`,
    );
    const path = await write(full(...rows));
    const settings = readArguments([path]) as ImportSettings;
    const once = () => importFile(service.ctx, settings, () => {}, silent);
    const [one, other] = await Promise.all([once(), once()]);
    assert.equal(one.imported + other.imported, 1200);
    assert.equal(one.alreadyThere + other.alreadyThere, 1200);
    const said: string[] = [];
    await importFile(service.ctx, settings, (line) => void said.push(line), silent);
    assert.match(said[0]!, /: 0 imported, 1200 already there, 0 left out, in /);
    const [count] = await service.ctx.pools.main`
      select count(*)::int as n, count(distinct creator_id)::int as creators
      from petition_imports i join petitions p on p.id = i.petition_id
      where source = ${settings.source}`;
    assert.deepEqual({ ...count }, { n: 1200, creators: 1 });
  });

  it('reports every row that it leaves out', async () => {
    const cases: [row: string, detail: string][] = [
      [`a b,Plant more trees,${text},2012-01-01,1,,`, 'the id is not 1 to 200 characters'],
      [`,Plant more trees,${text},2012-01-01,1,,`, 'the id is not 1 to 200 characters'],
      [
        't1,Plant more trees,Too short,2012-01-01,1,,',
        'description has 9 characters, 50 are needed',
      ],
      [`t2,Tree,${text},2012-01-01,1,,`, 'title has 4 characters, 5 are needed'],
      [`t3,${'T'.repeat(201)},${text},2012-01-01,1,,`, 'title has 201 characters, 200 are allowed'],
      [`t4,Plant more trees,${text}\0,2012-01-01,1,,`, 'description: This contains U+0000'],
      [`t5,Plant more trees,${text},2012-02-31,1,,`, "created_at is '2012-02-31', an ISO 8601"],
      [`t6,Plant more trees,${text},7/8/2012,1,,`, "created_at is '7/8/2012', an ISO 8601"],
      [`t7,Plant more trees,${text},2999-01-01,1,,`, "created_at is '2999-01-01', in the future"],
      [`t8,Plant more trees,${text},2012-01-01,-1,,`, "signature_count is '-1', a whole number"],
      [`t9,Plant more trees,${text},2012-01-01,1e3,,`, "signature_count is '1e3', a whole number"],
      [`u1,Plant more trees,${text},2012-01-01,1,0,`, "signature_goal is '0', a whole number"],
      [`u2,Plant more trees,${text},2012-01-01,1,,constructor`, "status is 'constructor'"],
      [`u3,Plant more trees,${text},2012-01-01`, 'it does not have the 7 columns of the header'],
      [`u4,Plant, more trees,${text},2012-01-01,1,,`, 'it does not have the 7 columns'],
      [`good,Plant more trees,${text},2012-01-01,1,,`, 'line 2 has this id already'],
    ];
    const good = `good,Plant more trees,${text},2012-01-01,1,,`;
    const { said, tally } = await run(full(good, ...cases.map(([row]) => row)));
    assert.deepEqual(tally, { imported: 1, alreadyThere: 0, leftOut: cases.length });
    cases.forEach(([, detail], index) => {
      const expected = `line ${index + 3}: left out: ${detail}`;
      assert.ok(said[index]!.startsWith(expected), `${said[index]} | ${expected}`);
    });
    assert.ok(said.includes('  2 left out: id of another form'));
  });

  it('detects rows that were split, by ids unlike the others', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => `${n},Petition ${n},${text},2012-01-01,1,,`);
    const cut = `Obama,keep your promise,${text},2012-01-01,1,,`;
    const { said, tally } = await run(full(...rows, cut));
    assert.equal(tally.imported, 30);
    assert.match(said[0]!, /^line 32: left out: the id is not a number, .* \(id: "Obama"\)$/);
    const all = await run(full(...rows, cut), '--id-pattern', '\\w+');
    assert.equal(all.tally.imported, 31);
  });

  it('reads a byte order mark, CRLF, quotes, line breaks and empty lines', async () => {
    const content = [
      '\uFEFFID, Title ,description,created_at,signature_count,signature_goal,status',
      `1,"Plant ""more"" trees, now","${text}`,
      '',
      `Second part.",2012-01-01,1,,open`,
      '',
      `2,5" pipes are too narrow,${text},2012-01-01,1,,open`,
      '3,Plant more trees,short,2012-01-01,1,,open',
      `4,Überall Bäume – 木,"${text}",2012-01-01,1,,open`,
      `5,Never closed,"${text},2012-01-01,1,,open`,
    ].join('\r\n');
    const { rows, said, tally } = await run(content);
    assert.deepEqual(
      rows.map((row) => row.title),
      ['Plant "more" trees, now', '5" pipes are too narrow', 'Überall Bäume – 木'],
    );
    assert.equal(rows[0]!.description, `${text}\r\n\r\nSecond part.`);
    assert.equal(tally.leftOut, 2);
    assert.match(said[0]!, /^line 7: left out: description has 5 characters/);
    assert.match(said[1]!, /^line 9: left out: a quote is opened and never closed/);
  });

  it('composes a description if the source has none', async () => {
    const content = 'id,title,created_at\n104309,Plant more trees,2015-07-20';
    const { rows, settings } = await run(content);
    assert.equal(
      rows[0]!.description,
      `Plant more trees\n\nThis is petition 104309 of ${settings.source}. Its source gives no text besides the title.`,
    );
    const uk = await run(content, '--source', 'uk-petitions');
    assert.match(uk.rows[0]!.description, /petition 104309 .* Open Parliament Licence v3\.0\.$/);
    const note = 'Number {id} of {source}, which is all that is known of it.';
    const own = await run(content, '--source', '$& x', '--description-note', note);
    assert.equal(
      own.rows[0]!.description,
      'Plant more trees\n\nNumber 104309 of $& x, which is all that is known of it.',
    );
    await assert.rejects(run(full(), '--description-note', note), /without a column description/);
  });

  it('reads what spreadsheets write: UTF-16, semicolons and tabs', async () => {
    for (const [n, delimiter, encoding] of [
      [1, ';', 'utf8'],
      [2, '\t', 'utf16le'],
      [3, ',', 'utf16le'],
    ] as const) {
      const row = [`s${n}`, `Bäume; mehr, bitte ${n}`, text, '2012-03-04', '1', '', ''];
      const quoted = row.map((one) => `"${one}"`).join(delimiter);
      const header = 'id,title,description,created_at,signature_count,signature_goal,status';
      const lines = `\ufeff${header.replaceAll(',', delimiter)}\r\n${quoted}\r\n`;
      const { tally, rows } = await run(Buffer.from(lines, encoding));
      assert.deepEqual(tally, { imported: 1, alreadyThere: 0, leftOut: 0 });
      assert.equal(rows.at(-1)!.version_title, `Bäume; mehr, bitte ${n}`);
    }
  });

  it('reports errors of the file', async () => {
    await assert.rejects(run('id,description\n1,x'), /lacks the columns title, created_at\. Its/);
    await assert.rejects(run('id,title,created_at,id\n'), /has the column id twice/);
    await assert.rejects(run(''), /is empty/);
    const latin = Buffer.from(full(`1,Überall,${text},2012-01-01,1,,`), 'latin1');
    await assert.rejects(run(latin), /is not in UTF-8/);
    // An error in the middle of a file: the output says how many rows were imported before.
    const rows = Array.from({ length: 900 }, (_, n) => `${n},Petition ${n},${text},2012-01-01,1,,`);
    const path = await write(Buffer.concat([Buffer.from(full(...rows)), latin]));
    const said: string[] = [];
    const settings = readArguments([path]) as ImportSettings;
    const importing = importFile(service.ctx, settings, (line) => void said.push(line), silent);
    await assert.rejects(importing, /is not in UTF-8/);
    assert.match(said.at(-1)!, /: stopped early, 500 imported before that$/);
    const missing = readArguments([join(folder, 'none.csv')]) as ImportSettings;
    await assert.rejects(
      importFile(service.ctx, missing, () => {}, silent),
      /There is no file/,
    );
    assert.throws(() => readArguments([]), /One CSV file is needed/);
    assert.throws(() => readArguments(['a', '--id-pattern', '(']), /--id-pattern/);
  });

  it('rejects a source whose import account was registered by someone', async () => {
    await service.api.post('/v1/auth/register', {
      email: 'import+taken@petitions.test',
      password: 'correct horse',
      display_name: 'Mallory',
    });
    const rows = full(`1,Plant more trees,${text},2012-01-01,1,,`);
    await assert.rejects(run(rows, '--source', 'taken'), /is somebody's account/);
  });

  it('runs as a command', async () => {
    const path = await write(full(`1,Plant more trees,${text},2012-01-01,1,,`, '2,,,,,,'));
    const command = (...args: string[]) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        const env = {
          ...process.env,
          DATABASE_URL: service.databaseUrl,
          DATA_DIR: folder,
          SECRET: service.ctx.config.secret,
        };
        const script = fileURLToPath(new URL('import.ts', import.meta.url));
        execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      });
    const done = await command(path);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /1 imported, 0 already there, 1 left out/);
    const help = await command('--help');
    assert.match(help.stdout, /--description-note/);
    const missing = await command(join(folder, 'none.csv'));
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /^There is no file .*none\.csv\.\n$/);
    assert.equal((await command('--nonsense')).code, 1);
  });
});
