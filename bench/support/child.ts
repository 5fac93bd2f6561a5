import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Handlers of a child process. */
// Each handler has its own type of argument, which `call` checks.
type Handlers = Record<string, (argument: never) => unknown>;

interface Question {
  id: number;
  name: string;
  argument: unknown;
}

type Answer = { id: number; result: unknown } | { id: number; failure: string };

/** Answers calls of the parent process by these handlers until the parent exits. */
export function answerParent<H extends Handlers>(handlers: H): H {
  const answer = async ({ id, name, argument }: Question): Promise<Answer> => {
    try {
      return { id, result: await handlers[name]!(argument as never) };
    } catch (error) {
      return { id, failure: (error as Error).stack ?? String(error) };
    }
  };
  process.on('message', (question: Question) => {
    void answer(question).then((given) => process.send!(given));
  });
  // process.exit writes a CPU profile if one was requested.
  process.on('disconnect', () => process.exit());
  return handlers;
}

export interface Child<H extends Handlers> extends AsyncDisposable {
  call<K extends keyof H & string>(
    name: K,
    ...argument: Parameters<H[K]>
  ): Promise<Awaited<ReturnType<H[K]>>>;
}

interface ChildOptions {
  execArgv?: string[];
}

/** Starts a module that calls `answerParent` as a child process. */
export function startChild<H extends Handlers>(
  module: string,
  { execArgv = [] }: ChildOptions = {},
): Child<H> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execArgv,
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = once(child, 'exit');
  child.on('message', (answer: Answer) => {
    const waiting = open.get(answer.id)!;
    open.delete(answer.id);
    if ('failure' in answer) waiting.reject(new Error(`${module}: ${answer.failure}`));
    else waiting.resolve(answer.result);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of open.values()) {
      reject(new Error(`${module} ended with ${code ?? signal}`));
    }
  });
  let questions = 0;
  return {
    call(name, ...[argument]) {
      const id = ++questions;
      const waiting = Promise.withResolvers<unknown>();
      open.set(id, waiting);
      child.send({ id, name, argument } satisfies Question, (error) => {
        if (error) waiting.reject(error);
      });
      return waiting.promise as never;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
