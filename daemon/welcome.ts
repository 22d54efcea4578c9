/** What a person at the terminal sees after the start of a new box: addresses, the first token, and what to do next. */
import type { Daemon } from './daemon.ts'
import type { Config } from './schema/config.ts'

export function welcome(config: Config, daemon: Daemon, configFile: string | null): string {
  const lines = [
    '',
    `pbxd is running. HTTP ${daemon.httpAddress}, SIP ${daemon.sip.join(', ') || 'not available (see: scripts/pbx doctor)'}`,
  ]
  if (daemon.firstToken !== null) {
    const { firstToken } = daemon
    lines.push(
      '',
      ...('token' in firstToken
        ? [`  ACCESS_TOKEN=${firstToken.token}`, '  This is the first access token. It is shown only once.']
        : [
            `  ACCESS_TOKEN=$(cat ${firstToken.file})`,
            '  The first access token is in that file: store it elsewhere and remove the file.',
          ]),
      '  More: scripts/pbx token create --name NAME',
    )
  }
  const [extension] = config.extensions
  const [endpoint] = config.voice.endpoints
  if (configFile === null && extension && endpoint) {
    const server = daemon.sip[0]?.split(' ')[1] ?? config.sip.udp ?? ''
    const rule = config.inbound.find((candidate) => candidate.destination === `endpoint:${endpoint.id}`)
    lines.push(
      '',
      'Next:',
      `  1. Register a SIP phone: user ${extension.number}, password ${extension.password}, server ${server}`,
      `  2. Run the sample application: scripts/run scripts/examples/app.ts   (it listens at the address of the endpoint "${endpoint.id}": ${endpoint.controlUrl})`,
      `  3. Call ${rule?.to ?? ''} from the phone. No phone at hand: npm run demo, or scripts/pbx simulate inbound --from ${extension.number} --to ${rule?.to ?? ''}`,
      `  The API: ${daemon.httpAddress}/docs   The box: scripts/pbx status`,
    )
  }
  return `${lines.join('\n')}\n\n`
}
