// Follows the events of a petition while the page is visible: browsers allow few streams to one host.
// Returns a function to call when the result of `isInView` may have changed.
globalThis.followWhileSeen = (address, types, take, isInView = () => true) => {
  let stream;
  let retryTimer;
  const open = () => {
    stream = new EventSource(address);
    for (const type of types) stream.addEventListener(type, take);
    stream.addEventListener('error', () => {
      // Browsers reconnect after a lost connection, but not after an answer such as 503.
      if (stream?.readyState !== EventSource.CLOSED) return;
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
