export { type LinesOptions, serveLines } from './transports/stdio/server/serve-lines.js'
export { type StdioOptions, serveStdio } from './transports/stdio/server/serve-stdio.js'
