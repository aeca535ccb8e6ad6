// The asking server over stdio: node asking-child.mjs <revision>
import { serveStdio } from 'toolwire/stdio'
import { askingApp } from './asking-server.mjs'

await serveStdio(askingApp(process.argv[2]))
