// Follows the events of a petition while the page is visible: browsers allow few streams to one host. Reads the count now
// and then while no stream can be had.
// Returns a function to call when the result of `isInView` may have changed.
globalThis.followWhileSeen = (address, types, take, isInView = () => true) => {
  let stream;
  let retryTimer;
  const poll = async () => {
    const answer = await fetch(address.replace('/events', ''));
    if (!answer.ok || !stream) return;
    const { signature_count } = (await answer.json()).data;
    take({ type: 'subscribed', data: JSON.stringify({ signature_count }) });
  };
  const open = () => {
    stream = new EventSource(address);
    for (const type of types) stream.addEventListener(type, take);
    stream.addEventListener('error', () => {
      // Browsers reconnect after a lost connection, but not after an answer such as 429 or 503.
      if (stream?.readyState !== EventSource.CLOSED) return;
      poll().catch(() => {});
      retryTimer = setTimeout(open, 3000 + Math.random() * 4000);
    });
  };
  const follow = () => {
    const isWanted = isInView() && document.visibilityState === 'visible';
    if (isWanted === (stream !== undefined)) return;
    if (isWanted) {
      open();
      return;
    }
    clearTimeout(retryTimer);
    stream.close();
    stream = undefined;
  };
  addEventListener('visibilitychange', follow);
  follow();
  return follow;
};
