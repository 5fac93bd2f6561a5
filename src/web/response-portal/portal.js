// Reports that a person sees this page, once it was visible for 2 seconds. Mail scanners and prefetching open links too.

const visibleMs = 2000;

let timer;

function watch() {
  clearTimeout(timer);
  if (document.visibilityState === 'visible') timer = setTimeout(report, visibleMs);
}

function report() {
  document.removeEventListener('visibilitychange', watch);
  // Sending the form reports it too, so a failure needs no other try.
  fetch(`${location.pathname}/opened`, { method: 'POST', keepalive: true }).catch(() => {});
}

document.addEventListener('visibilitychange', watch);
watch();
