// A child process of each replica: node work-stdio.js FILE
import { serveStdio } from 'toolwire/stdio'
import { workServer } from './work-server.js'

await serveStdio(workServer('pipe', process.argv[2] ?? ''))
