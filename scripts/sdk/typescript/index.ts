/** pbxd for applications: verbs, events, signatures, servers and the HTTP interface. https://nodejs.org 22 or later; no packages. */
export { chosen, genuine, menu, Pbxd, type Answer, type Choices, type Page, type Pages, type Settings } from './application.ts'
export { express, fastify, fetchHandler, hono, node, serve } from './adapters.ts'
export { box, BoxError, type Box, type BoxSettings } from './client.ts'
export type { Notice, Notices, Question, Questions } from './generated/events.ts'
export type { RequestOptions, ServerSent } from './generated/operations.ts'
export * from './generated/schemas.ts'
export * from './generated/verbs.ts'
