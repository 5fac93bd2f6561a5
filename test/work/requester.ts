/** One request, as somebody sends it who wants to keep the service busy. */
export interface WorkRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface WorkAnswer {
  /** 0 if there was none. */
  status: number;
  bytes: number;
}

/** Sends the requests of the parent process, whose processor time then is that of the service alone. */
async function send({ url, ...request }: WorkRequest): Promise<WorkAnswer> {
  try {
    const response = await fetch(url, { ...request, redirect: 'manual' });
    const { status } = response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    // Streams of events do not end.
    if (isStream) await response.body?.cancel();
    return { status, bytes: isStream ? 0 : (await response.arrayBuffer()).byteLength };
  } catch {
    return { status: 0, bytes: 0 };
  }
}

process.on('message', (request: WorkRequest) => {
  void send(request).then((answer) => process.send!(answer));
});
