/** The applications that drive calls, each with its circuit and its last fault: for technicians. */
import { Type } from '@sinclair/typebox'
import { isoTime } from '../base/clock.ts'
import { placeOf } from '../base/for-log.ts'
import type { Calls } from '../calls/calls.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { ApplicationSchema, type ApplicationView } from '../schema/applications.ts'
import type { Config, VoiceEndpointConfig } from '../schema/config.ts'
import type { Requestor } from './requestor.ts'

export interface ApplicationServices {
  readonly config: Config
  readonly calls: Pick<Calls, 'live'>
  readonly stateOf: Requestor['stateOf']
}

const example: ApplicationView = {
  ...{ id: 'reception', name: 'Reception', place: 'https://app.example/voice', circuit: 'closed', openUntil: null, failuresInRow: 0 },
  ...{
    answered: 412,
    failed: 1,
    lastAnswerAt: '2026-03-02T14:05:10.000Z',
    lastAnswerMs: 48,
    calls: 2,
    numbers: ['+15550001000'],
    fallback: '101',
  },
  lastFailure: { at: '2026-03-02T09:12:44.000Z', reason: 'status', text: 'the application answered with 502' },
}

export function applicationRoutes(services: ApplicationServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/applications',
      access: 'technician',
      people: ['technician'],
      operationId: 'listApplications',
      summary: 'Applications that drive calls, with their circuit and the last fault',
      tag: 'Programmable voice',
      responses: { 200: { description: 'In the order of the configuration.', schema: Type.Array(ApplicationSchema), example: [example] } },
      handle: () => ({ status: 200, body: services.config.voice.endpoints.map((endpoint) => view(services, endpoint)) }),
    }),
  ]
}

function view({ config, calls, stateOf }: ApplicationServices, endpoint: VoiceEndpointConfig): ApplicationView {
  const { id, name = '', controlUrl, fallbackDestination = config.site.fallbackDestination ?? '' } = endpoint
  const { openUntil, probing, inRow, lastAnswerAt, lastFailure, answered, failed, lastAnswerMs } = stateOf(id)
  return {
    ...{ id, name, place: placeOf(controlUrl), openUntil: isoTime(openUntil), failuresInRow: inRow },
    circuit: openUntil === null ? 'closed' : probing ? 'probing' : 'open',
    ...{ answered, failed, lastAnswerAt: isoTime(lastAnswerAt), lastAnswerMs },
    lastFailure: lastFailure === null ? null : { ...lastFailure, at: isoTime(lastFailure.at) },
    calls: calls.live().filter(({ row }) => row.endpointId === id).length,
    numbers: numbersOf(config, id),
    fallback: fallbackDestination,
  }
}

function numbersOf({ inbound }: Config, id: string): string[] {
  return inbound.flatMap(({ to, destination }) => (to !== undefined && destination === `endpoint:${id}` ? [to] : []))
}
