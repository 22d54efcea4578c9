/** What people of the clinic read and hear of a call for help, and read on the keys of phones, in the language of the site. */
import t from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import type { Notice } from '../../daemon/base/notice-ways.ts'
import type { Announcement } from '../../daemon/pbx/emergency/call-out.ts'
import { createLog } from '../../daemon/base/log.ts'
import { EmergencyNotices } from '../../daemon/pbx/emergency/notices.ts'
import { settingsFile } from '../../daemon/provisioning/settings.ts'

const password = 'a-long-password'

function configOf(language: string) {
  const settings = {
    site: { name: 'Riverside', language, timeZone: 'Europe/Berlin' },
    extensions: [
      { number: '101', password },
      { number: '102', name: 'Labor', password, language: 'es' },
    ],
    emergency: { location: 'Floor 2', callerId: '+15550001000', notify: { extensions: ['102'], mail: 'office@example.com' } },
    parking: { slots: 2 },
    mail: { server: 'mail.example.com:587', from: 'pbx@example.com' },
  }
  return parseConfig(JSON.stringify(settings), '/srv/pbx/pbxd.yaml').config
}

t.test('a call for help: mail, text, display and voice', async (t) => {
  const call = { callId: 'CA1', number: '911', extension: '101', name: '', location: '', at: Date.parse('2026-03-02T13:05:11Z') }
  for (const [language, wanted] of [
    [
      'en-US',
      {
        subject: 'EMERGENCY CALL to 911 from extension 101',
        text: 'Riverside\nFrom: extension 101\nDialled: 911\nWhere: not configured\nWhen: Mar 2, 2026, 2:05:11 PM GMT+1\nCall: CA1\n',
        brief: /^EMERGENCY CALL\. Riverside\. From: extension 101\. /,
        shown: 'EMERGENCY 101',
        said: { text: 'Emergency call to 9 1 1 from extension 101, Riverside.', language: 'en-US' },
      },
    ],
    [
      'de-AT',
      {
        subject: 'NOTRUF an 911 von Nebenstelle 101',
        text: 'Riverside\nVon: Nebenstelle 101\nGewählt: 911\nOrt: nicht eingetragen\nWann: 02.03.2026, 14:05:11 MEZ\nAnruf: CA1\n',
        brief: /^NOTRUF\. Riverside\. Von: Nebenstelle 101\. /,
        shown: 'NOTRUF 101',
        said: { text: 'Notruf an 9 1 1 von Nebenstelle 101, Riverside.', language: 'de-AT' },
      },
    ],
    [
      'es-US',
      {
        subject: 'LLAMADA DE EMERGENCIA al 911 desde la extensión 101',
        text: /^Riverside\nDe: extensión 101\nNúmero marcado: 911\nLugar: sin configurar\nCuándo: 2 mar 2026, .*\nLlamada: CA1\n$/,
        brief: /^LLAMADA DE EMERGENCIA\. Riverside\. De: extensión 101\. /,
        shown: 'EMERGENCIA 101',
        said: { text: 'Llamada de emergencia al 9 1 1 desde la extensión 101, Riverside.', language: 'es-US' },
      },
    ],
    [
      'fr',
      {
        subject: "APPEL D'URGENCE au 911 depuis le poste 101",
        text: /^Riverside\nDe : poste 101\nNuméro composé : 911\nLieu : non renseigné\nQuand : 2 mars 2026, .*\nAppel : CA1\n$/,
        brief: /^APPEL D'URGENCE\. Riverside\. De : poste 101\. /,
        shown: 'URGENCE 101',
        said: { text: 'Appel d’urgence au 9 1 1 depuis le poste 101, Riverside.', language: 'fr-FR' },
      },
    ],
  ] as const) {
    const told: Notice[] = []
    const rung: Announcement[] = []
    const notices = new EmergencyNotices({
      config: configOf(language),
      log: createLog({ level: 'silent' }),
      notices: { get: () => ({ mostAttachmentBytes: 0, tell: async (notice) => void told.push(notice) }) },
      callOut: { ring: async (_, announcement) => void rung.push(announcement) },
    })
    await notices.tell(call)
    const { subject, text, brief, shown, said } = wanted
    t.match(told, [{ subject, text, brief }], language)
    t.match(rung, [{ shown, said }], language)
    t.notMatch(`${told[0]!.brief}${told[0]!.subject}`, /[\u00a0\u202f’]/, 'a text message of 160 characters a part')
  }
})

t.test('the keys of a phone: parked calls and the queue, in the language of its extension', async (t) => {
  const file = { name: 'keys', type: 'text/plain', template: '{{#keys}}{{text}}\n{{/keys}}' }
  const kind = { escape: 'line', words: {}, keys: 9, counters: {} }
  const keysOf = (language: string, extension: string): string =>
    settingsFile(
      { kind, template: file.template } as unknown as Parameters<typeof settingsFile>[0],
      { extension, keys: ['701', '*45'] } as never,
      {
        config: configOf(language),
        ports: { udp: 5060, tcp: null, tls: null },
        server: 'pbx',
        url: 'http://pbx/',
        adminPassword: 'x',
        mac: null,
        now: 0,
      },
    )
  t.equal(keysOf('en-US', '101'), 'Parked 701\nQueue\n')
  t.equal(keysOf('de-DE', '101'), 'Geparkt 701\nWarteschlange\n')
  t.equal(keysOf('fr-CA', '101'), "Parqué 701\nFile d'attente\n")
  t.equal(keysOf('fr-CA', '102'), 'Aparcada 701\nCola\n', 'the language of the extension goes before that of the site')
})
