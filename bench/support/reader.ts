import { Connection, toBytes } from './http.ts';

/** Reads pages one by one, and measures each. */
export class Reader implements Disposable {
  #failed = Promise.withResolvers<never>();
  #connection: Connection;
  #requests = 0;

  constructor(port: number) {
    this.#failed.promise.catch(() => {});
    this.#connection = new Connection(port, this.#failed.reject);
  }

  async read(path: string): Promise<number> {
    await this.#connection.opened;
    // From many addresses, to stay below the rate limits.
    const address = `10.0.${(this.#requests >> 8) & 255}.${this.#requests++ & 255}`;
    const request = toBytes({ method: 'GET', path, headers: { 'x-forwarded-for': address } });
    const answered = Promise.withResolvers<number>();
    const start = performance.now();
    this.#connection.send(request, (status) => {
      if (status === 200) answered.resolve(performance.now() - start);
      else answered.reject(new Error(`${path}: ${status}`));
    });
    return Promise.race([answered.promise, this.#failed.promise]);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
