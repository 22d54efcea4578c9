/** The driver of a GSM modem in a process of its own, while nothing happens. Argument: seconds. Prints its figures as JSON. */

// Before the driver and its packages are there; the compiler of TypeScript is.
const before = process.memoryUsage.rss()
const { measureAtRest } = await import('../../gsm/at-rest.ts')
const { cpuPercent, residentMiB } = await measureAtRest(Number(process.argv[2]))
console.log(JSON.stringify({ cpuPercent, residentMiB, addedMiB: residentMiB - before / 1024 / 1024 }))
