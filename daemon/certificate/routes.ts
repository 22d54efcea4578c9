/** The certificate of the box's authority, which people and phones trust. */
import { authorityHeaders, authorityPath } from '../http/redirect.ts'
import { ApiError } from '../base/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** `authority`: in PEM; null where the certificate is not the box's own. */
export function certificateRoutes(authority: () => string | null): Route[] {
  const { 'Content-Type': type, ...headers } = authorityHeaders
  return [
    defineRoute({
      method: 'GET',
      path: authorityPath,
      access: 'public',
      operationId: 'getAuthority',
      summary: "The certificate of the box's authority, to be trusted",
      description: 'It can vouch for this box alone: its name constraints are critical.',
      tag: 'Operation',
      responses: {
        200: { description: 'In PEM.', contentType: 'application/x-x509-ca-cert' },
        404: { description: 'The certificate of the web port is not the box’s own.' },
      },
      handle: () => {
        const content = authority()
        if (content === null) throw new ApiError('not_found', 'The certificate of the web port is not of this box’s own authority.')
        return { status: 200, text: { type, content }, headers }
      },
    }),
  ]
}
