/** The one document of the console, and the headers of its answers. */
import type { Built } from './built.ts'
import type { Site } from './site.ts'

/** No source but this box, nothing inline, and no way to make markup or script out of text (Trusted Types). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export const shellHeaders = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** For an attribute in double quotes. */
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

const noScript = {
  en: 'This page needs JavaScript.',
  es: 'Esta página necesita JavaScript.',
}

export function shell(site: Site, { script, icon }: Built): string {
  const language = site.language.startsWith('es') ? 'es' : 'en'
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="site" content="${escaped(JSON.stringify(site))}">
<title>${escaped(site.name)}</title>
<link rel="icon" href="/console/${icon}">
<script type="module" src="/console/${script}"></script>
</head>
<body>
<noscript>${noScript[language]} <a href="/docs">pbxd</a>, <a href="/readyz">/readyz</a></noscript>
</body>
</html>
`
}
