/**
 * Packages that stay out of the bundles (scripts/bundle.mjs), and whole in the Debian package (scripts/deb/slim.mjs): they hold machine
 * code, or files that they look for in their own folder.
 */
export const unbundled = ['lmdb', '@serialport/bindings-cpp', '@hyzyla/pdfium', 'soundswallower', 'sherpa-onnx-*', 'swagger-ui-dist']
