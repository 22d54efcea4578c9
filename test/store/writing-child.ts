/** Writes numbered transactions over two tables, several at once, and prints the number of each that is acknowledged. */
import { writeSync } from 'node:fs'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'

const [dir = '', first = '0'] = process.argv.slice(2)
const store = await openStore(dir, createLog({ level: 'silent' }))
let number = Number(first)
let acknowledged = number - 1

/** Whole before it returns, also where the reader is slower than the store. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

for (;;) {
  const group = Array.from({ length: 5 }, () => {
    const i = number++
    return store.transaction(() => {
      store.tables.meta.put(`left${i}`, i)
      store.tables.outboxDone.put(`right${i}`, { body: 'x'.repeat(200) } as never)
    })
  })
  for (const transaction of group) {
    await transaction
    say(`${++acknowledged}\n`)
  }
}
