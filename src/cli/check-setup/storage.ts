import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { requireDataDir, type Config } from '../../config.ts';
import { readBlob } from '../../platform/blobs.ts';
import { S3Blobs } from '../../platform/blobs/s3.ts';
import { note, ok, wrong, type Finding } from './finding.ts';

const minFreeBytes = 2 * 1024 ** 3;

/** Looks at the folder of DATA_DIR. */
export async function checkDataDir({ dataDir }: Config): Promise<Finding[]> {
  requireDataDir(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const text = `${dataDir}, ${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return [
    free >= minFreeBytes
      ? ok('DATA_DIR', text)
      : wrong('DATA_DIR', `${text}: make room, or name another folder.`),
  ];
}

/** Stores a small file in the bucket, reads it and deletes it. */
export async function checkBucket({ s3 }: Config): Promise<Finding[]> {
  if (!s3) return [note('pictures', 'S3_* is not set: pictures are files in DATA_DIR/media.')];
  const blobs = new S3Blobs(s3);
  const key = `check-setup/${randomUUID()}`;
  try {
    await blobs.put(key, Buffer.from('check'), 'text/plain');
    const bytes = await readBlob(blobs, key, 100);
    await blobs.delete(key);
    if (Buffer.isBuffer(bytes) && bytes.toString() === 'check') {
      return [ok('pictures', `the bucket ${s3.bucket} stores, reads and deletes`)];
    }
    return [wrong('pictures', `The bucket ${s3.bucket} does not give back what it stored.`)];
  } finally {
    await blobs.close();
  }
}
