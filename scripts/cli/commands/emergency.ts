/** pbx emergency: whether help could be called. */
import type { Command } from 'commander'
import type { EmergencyTestView } from '../../../daemon/schema/extensions.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { bold, dim, green, print, printJson, red } from '../output.ts'
import { patience } from '../patience.ts'

export function emergencyCommand(): Command {
  const emergency = group('emergency', 'emergency calls')
  emergency.addCommand(
    finish(
      group('test', "call the provider's test number (933) and record what it reads back; takes up to two minutes").option(
        '--trunk <id>',
        'use this trunk (default: the first one for emergency calls)',
      ),
      test,
      ['pbx emergency test', 'pbx emergency test --trunk backup'],
    ),
  )
  return emergency
}

async function test({ json, client }: Context, { trunk }: { trunk?: string }): Promise<number> {
  if (!json) print(dim('calling, and recording what is read back (two minutes at most) ...'))
  const view = await (
    await client()
  ).post<EmergencyTestView>('/api/emergency/test', trunk === undefined ? {} : { trunkId: trunk }, patience.workMs)
  if (json) printJson(view)
  else for (const line of linesOf(view)) print(line)
  return view.answered ? exitCode.done : exitCode.failed
}

function linesOf({ answered, number, trunkId, sipCode, callerId, location, recordingId, transcript, callId }: EmergencyTestView): string[] {
  const what = `${bold(number)} through ${bold(trunkId)}`
  if (!answered)
    return [
      `${red('✗')} ${what} was not answered (${sipCode === 0 ? 'no response' : `SIP ${sipCode}`})`,
      dim(`pbx trace ${callId}; some providers have no test number, or another one (emergency.testNumber)`),
    ]
  return [
    `${green('✓')} ${what} was answered`,
    `  shown      ${callerId === '' ? 'no number' : callerId}`,
    `  configured ${location === '' ? 'no location' : location}`,
    `  read back  ${transcript ?? 'see the recording'}`,
    ...(recordingId === null ? [] : [dim(`  recording ${recordingId} (pbx recordings list)`)]),
    'Check that the address read back is where the site is.',
  ]
}
