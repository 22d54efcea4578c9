/** What a schema cannot say of queues. */
import t from 'tap'
import { ConfigError, parseConfig } from '../../daemon/config/load.ts'

const base = `extensions: [ { number: "101", password: "a-long-password" }, { number: "102", password: "another-password" } ]\n`

function faults(text: string): string[] {
  try {
    parseConfig(base + text, '/srv/pbx/pbxd.yaml')
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map((fault) => `${fault.path} ${fault.text}`)
    throw error
  }
}

t.test('members and destinations exist, none is there twice, none leads back at once', async (t) => {
  t.same(
    faults('queues: [ { id: nurses, members: ["101", "102"], leave: { key: "1", destination: "101" }, onEmpty: "voicemail:101" } ]'),
    [],
  )
  t.match(faults('queues: [ { id: nurses, members: ["101", "103"] } ]'), [/queues\/0\/members\/1 there is no extension "103"/])
  t.match(faults('queues: [ { id: nurses, members: ["101", "101"] } ]'), [/"101" is given twice/])
  t.match(faults('queues: [ { id: nurses, members: ["101"], onTimeout: "queue:nurses" } ]'), [/endlessly|in a loop/])
  t.match(faults('queues: [ { id: nurses, members: ["101"], leave: { key: "1", destination: "queue:nurse" } } ]'), [/no queue "nurse"/])
  t.match(faults('queues: [ { id: a, members: ["101"] }, { id: a, members: ["101"] } ]'), [/twice|also|already|overlaps/])
  t.match(faults('queues: [ { id: nurses, members: [] } ]'), [/queues\/0\/members/])
})
