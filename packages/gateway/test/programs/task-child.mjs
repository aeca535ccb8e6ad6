// The server with tasks over stdio: node task-child.mjs <revision>
import { serveStdio } from 'toolwire/stdio'
import { taskApp } from './task-server.mjs'

await serveStdio(taskApp(process.argv[2]))
