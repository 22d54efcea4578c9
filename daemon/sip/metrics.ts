/** Figures about SIP: trunks, phones, the engine. */
import type { SipDriver } from '../../drivers/sip/driver.ts'
import { listenerNames } from '../../drivers/sip/listeners.ts'
import type { Figure, Sample } from '../base/metrics.ts'

export function sipFigures(driver: SipDriver): readonly Figure[] {
  const one = (value: number): Sample[] => [[{}, value]]
  const fact = (name: string): Sample[] => {
    const value = driver.health().facts[name]
    return typeof value === 'number' ? one(value) : []
  }
  const ofKind = (kind: 'trunk' | 'extension') => (): Sample[] =>
    driver
      .lines()
      .filter((line) => line.kind === kind)
      .map((line): Sample => [{ [kind]: line.id }, line.ok ? 1 : 0])
  return [
    { name: 'pbx_trunk_up', help: 'Whether a trunk can be used.', type: 'gauge', read: ofKind('trunk') },
    { name: 'pbx_extension_registered', help: 'Whether a phone is registered.', type: 'gauge', read: ofKind('extension') },
    { name: 'pbx_engine_up', help: 'Whether the SIP engine runs.', type: 'gauge', read: () => one(driver.health().ok ? 1 : 0) },
    {
      name: 'pbx_sip_listener_up',
      help: 'Whether a SIP listener that is configured is open.',
      type: 'gauge',
      read() {
        const bound = driver.bound()
        const closed = driver.closedListeners()
        return listenerNames.flatMap((name): Sample[] =>
          bound[name] !== null ? [[{ listener: name }, 1]] : closed.some(({ part }) => part === name) ? [[{ listener: name }, 0]] : [],
        )
      },
    },
    { name: 'pbx_engine_restarts_total', help: 'Restarts of the SIP engine.', type: 'counter', read: () => fact('restarts') },
    { name: 'pbx_calls_limit', help: 'Most calls of one party at the same time.', type: 'gauge', read: () => fact('callsLimit') },
    { name: 'pbx_calls_in_use', help: 'Calls of one party in progress.', type: 'gauge', read: () => fact('callsInUse') },
    {
      name: 'pbx_engine_tick_lateness_max_ms',
      help: 'Latest tick of the media clock in the last 10 s.',
      type: 'gauge',
      read: () => fact('tickLatenessMaxMs'),
    },
    {
      name: 'pbx_engine_audio_lost_ms_total',
      help: 'Audio of calls that was dropped because the machine was too slow, in milliseconds.',
      type: 'counter',
      read: () => fact('lostAudioMs'),
    },
    {
      name: 'pbx_engine_audio_dropped_total',
      help: 'Pieces of 20 ms of a call that speech recognition did not get, because they were taken too late.',
      type: 'counter',
      read: () => fact('droppedAudio'),
    },
    {
      name: 'pbx_rtp_foreign_packets_total',
      help: 'RTP, RTCP and UDPTL packets dropped because they did not come from the far end of a call.',
      type: 'counter',
      read: () => fact('foreignPackets'),
    },
    {
      name: 'pbx_sip_connections_refused_total',
      help: 'SIP connections over TCP or TLS refused, or ended for being idle.',
      type: 'counter',
      read: () => [...driver.refusals.connections()].map(([reason, count]): Sample => [{ reason }, count]),
    },
    {
      name: 'pbx_unacknowledged_calls_total',
      help: 'Calls ended or refused because answers were not acknowledged.',
      type: 'counter',
      read: () => one(driver.refusals.unacknowledgedCalls),
    },
  ]
}
