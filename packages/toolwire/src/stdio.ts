export { serveStdio } from './transports/stdio/server/serve-stdio.js'
