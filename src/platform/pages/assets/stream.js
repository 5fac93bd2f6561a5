// Keeps a stream of events of a petition while the page is looked at: browsers allow few streams to one host.
globalThis.followWhileSeen = (address, types, take) => {
  let stream;
  const follow = () => {
    const wanted = document.visibilityState === 'visible';
    if (wanted === (stream !== undefined)) return;
    if (!wanted) {
      stream.close();
      stream = undefined;
      return;
    }
    stream = new EventSource(address);
    for (const type of types) stream.addEventListener(type, take);
  };
  addEventListener('visibilitychange', follow);
  follow();
};
