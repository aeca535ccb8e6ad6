export { type LinesOptions, serveLines } from './transports/byte-stream.js'
export { type StdioOptions, serveStdio } from './transports/stdio.js'
