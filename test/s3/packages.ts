import { installMissing } from '../support/debian.ts';

/** Finds Ceph, or installs it from Debian. Returns the reason if it is missing. */
export const findCeph = (): string | undefined =>
  installMissing(
    ['ceph-mon', 'ceph-osd', 'ceph', 'ceph-authtool', 'monmaptool', 'radosgw'],
    ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'],
  );
