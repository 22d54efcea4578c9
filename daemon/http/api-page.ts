/** The page that shows the description of the interface and tries it, without the network; below /docs of a box, and of a website of docs/. */

export const apiPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pbxd: HTTP interface</title>
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<p><a href="index.html">Documentation</a></p>
<noscript>This page needs JavaScript. <a href="index.html">The documentation</a> does not.</noscript>
<div id="reference"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="api.js"></script>
</body>
</html>
`

/** `description`: where openapi.json is, from the page. */
export const apiScript = (description: string): string =>
  `SwaggerUIBundle({ url: '${description}', dom_id: '#reference', deepLinking: true, validatorUrl: null, tryItOutEnabled: true })
`

/** Swagger styles its elements one by one, and its pictures are in its style sheet. */
export const apiPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Of swagger-ui-dist, with their types. */
export const apiFiles: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** Of the script, below /docs of a box. */
export const apiScriptOfBox = apiScript('../openapi.json')
