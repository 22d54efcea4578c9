/** The page at `/`: how the box is, and where to go on. For strangers too, so it says no more than `/readyz` says to them. */
import type { Health } from '../base/health.ts'
import { defineRoute, type Route } from './route.ts'
import { harmless } from './health-routes.ts'

const headers = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

export function frontPageRoutes({ health }: { readonly health: Health }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      access: 'public',
      operationId: 'getFrontPage',
      undescribed: true,
      summary: 'How the box is, and links, for people',
      tag: 'Operation',
      responses: { 200: { description: 'A page that needs nothing from the network.', contentType: 'text/html' } },
      handle: () => ({ status: 200, text: { type: 'text/html; charset=utf-8', content: page(health) }, headers }),
    }),
  ]
}

/** Names of parts and reasons are words of our own; nothing of anybody outside is on this page. */
function page(health: Health): string {
  const { ready, parts } = health.report()
  const down = parts.filter(({ ok }) => !ok).map((part) => `<li>${part.name}: ${harmless(part)}</li>`)
  const state = ready ? (down.length === 0 ? 'All is well.' : 'It serves, and something is the matter:') : 'It is not ready:'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pbxd</title>
</head>
<body>
<main>
<h1>pbxd, a telephone system</h1>
<p>${state}</p>
${down.length === 0 ? '' : `<ul>\n${down.join('\n')}\n</ul>\n`}<ul>
<li><a href="docs">The documentation</a></li>
<li><a href="docs/api.html">The HTTP interface</a>, and the same <a href="openapi.json">for programs</a></li>
<li><a href="readyz">State by part</a>, for programs</li>
</ul>
<p>On the box: <code>pbx status</code> shows what is wrong and how to repair it.</p>
</main>
</body>
</html>
`
}
