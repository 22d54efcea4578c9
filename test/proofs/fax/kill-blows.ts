/** kill -9 of what carries a fax. */
import { cpuMs } from '../../harness/processes.ts'
import { Pair, until } from './boxes.ts'
import type { Victim } from './kill-judge.ts'

export async function strike({ sender, receiver }: Pair, victim: Victim): Promise<void> {
  switch (victim) {
    case 'sender':
      return sender.kill()
    case 'receiver':
      return receiver.kill()
    case "sender's engine":
      return endEngine(sender)
    case "receiver's engine":
      return endEngine(receiver)
    case "sender's pbx-fax":
      return endFaxProgram(sender)
    case "receiver's pbx-fax":
      return endFaxProgram(receiver)
  }
}

/** The one that runs, or the next. */
export async function endFaxProgram(daemon: Pair['sender']): Promise<void> {
  const found = await until(
    () => {
      const pids = Pair.faxProgramsOf(daemon)
      return Promise.resolve(pids.length > 0 ? pids : undefined)
    },
    'pbx-fax',
    5000,
    10,
  ).catch(() => [])
  for (const pid of found) process.kill(pid, 'SIGKILL')
}

export function endEngine(daemon: Pair['sender']): void {
  for (const pid of daemon.enginePids()) if (cpuMs(pid) >= 0) process.kill(pid, 'SIGKILL')
}
