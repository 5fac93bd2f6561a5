import { Type, type Static } from 'typebox';
import { named, nullable, Timestamp, Uuid } from '../../platform/http/schema.ts';
import { LogEntry, SignEntry, UndoEntry } from '../../platform/transparency/entries.ts';

const verifierKey = Type.String({ description: 'As C2SP signed-note has it: name+id+key.' });

export const Witness = Type.Object({
  name: Type.String(),
  verifier_key: verifierKey,
  size: nullable(
    Type.Integer({ description: 'The number of entries that the witness cosigned last.' }),
  ),
  cosigned_at: nullable(Timestamp),
});
export type Witness = Static<typeof Witness>;

export const PublicLog = named(
  'PublicLog',
  Type.Object(
    {
      origin: Type.String({ description: 'Names the log: the first line of its checkpoints.' }),
      verifier_key: Type.String({ description: 'The Ed25519 key that signs now.' }),
      verifier_keys: Type.Array(verifierKey, {
        description:
          'All keys that sign now, of both kinds, newest first. After a rotation the old ones sign for 90 more days.',
      }),
      tree_size: Type.Integer({
        description: 'The number of entries that the published checkpoint is about.',
      }),
      root_hash: Type.String({ description: 'Root of the Merkle tree, in padded base64.' }),
      checkpoint_url: Type.String({ format: 'uri' }),
      witnesses: Type.Array(Witness, {
        description:
          'The keys of witnesses that are asked to cosign each checkpoint. `size` and `cosigned_at` are null before the first cosignature.',
      }),
      updated_at: nullable(Timestamp),
    },
    { description: 'The public log of what is counted.' },
  ),
);
export type PublicLog = Static<typeof PublicLog>;

const LogDay = Type.Object({
  day: Type.String({ format: 'date', description: 'Of UTC.' }),
  signed: Type.Integer({ description: 'Its `sign` entries.' }),
  undone: Type.Integer({ description: 'Its `undo` entries.' }),
  restored: Type.Integer({ description: 'Its `restore` entries.' }),
  imported: Type.Integer({ description: 'The sum of its `import` entries.' }),
  has_earlier: Type.Boolean({
    description: 'Whether all that was added before this day is in these figures, too.',
  }),
});

/** Days in an answer. */
export const maxLogDays = 400;

export const PetitionLog = named(
  'PetitionLog',
  Type.Object(
    {
      log_id: Uuid,
      origin: Type.String({ description: 'Names the log.' }),
      signature_count: Type.Integer({ description: '`counted` and `imported` together.' }),
      counted: Type.Integer({
        description: 'The `sign` and `restore` entries of the petition less its `undo` entries.',
      }),
      imported: Type.Integer({ description: 'The sum of its `import` entries.' }),
      entry_count: Type.Integer({ description: 'The number of its entries.' }),
      last_total_index: nullable(
        Type.Integer({
          description: 'Index of its last `total` entry; null if there is none yet.',
        }),
      ),
      tree_size: Type.Integer({
        description:
          'The number of entries of the whole log that are published. Those with this index and later ones follow within seconds.',
      }),
      days: nullable(
        Type.Array(LogDay, {
          maxItems: maxLogDays,
          description:
            'What was added on each day on which something was, the newest last. The first one has all earlier days where there are more than 400. Null while the service reads the entries of an earlier version.',
        }),
      ),
    },
    { description: 'What the log holds of a petition. It is within 30 seconds of the count.' },
  ),
);
export type PetitionLog = Static<typeof PetitionLog>;

export const LogLeaf = named(
  'LogLeaf',
  Type.Object(
    {
      index: Type.Integer({ description: 'The place of the `sign` entry in the log.' }),
      entry: Type.Unsafe<Static<typeof SignEntry>>(SignEntry),
      undone: nullable(
        Type.Object({
          index: Type.Integer({ description: 'The place of the `undo` entry.' }),
          cause: UndoEntry.properties.cause,
        }),
      ),
      tree_size: Type.Integer({
        description: 'The number of published entries, of which this is the state.',
      }),
    },
    { description: 'The entry of a signature, and whether it is undone now.' },
  ),
);
export type LogLeaf = Static<typeof LogLeaf>;

export const LeafRef = Type.Object({
  index: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The place of the entry in the log.',
  }),
});

export const IndexedEntry = named(
  'IndexedLogEntry',
  Type.Object({
    index: Type.Integer({ description: 'The place of the entry in the log.' }),
    entry: Type.Unsafe<LogEntry>(LogEntry),
  }),
);
export type IndexedEntry = Static<typeof IndexedEntry>;

export const PendingReceipt = named(
  'PendingReceipt',
  Type.Object({
    state: Type.Union([Type.Literal('held'), Type.Literal('waiting')], {
      description:
        '`held`: a moderator decides first. `waiting`: the entry is published within seconds.',
    }),
  }),
);
export type PendingReceipt = Static<typeof PendingReceipt>;
