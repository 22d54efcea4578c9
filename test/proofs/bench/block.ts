/**
 * Loaded into the daemon with `node --import`: on SIGUSR2 it begins (and on the next ends) to block the event loop for
 * 500 ms of every second, as an endless JSON document or a long garbage collection would.
 */
const busyMs = 500
const everyMs = 1000
let timer: ReturnType<typeof setInterval> | undefined

process.on('SIGUSR2', () => {
  if (timer) {
    clearInterval(timer)
    timer = undefined
    return
  }
  timer = setInterval(() => {
    for (const until = performance.now() + busyMs; performance.now() < until;);
  }, everyMs)
})
