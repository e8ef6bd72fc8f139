/** What was measured, on what: recorded with each part of the results. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem, type } from 'node:os'

const packages = ['fastify', '@nestjs/core', '@nestjs/platform-fastify', 'class-validator', 'class-transformer']

function versionOf(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).version
}

function serverVersions() {
  return Object.fromEntries(packages.map((name) => [name, versionOf(`../node_modules/${name}/package.json`)]))
}

/** @throws if git fails, with what it says */
export function git(...args) {
  return execFileSync('git', args, { cwd: new URL('.', import.meta.url), encoding: 'utf8', stdio: 'pipe' }).trim()
}

/**
 * @param isShort whether the run was too short for its figures to mean much
 * @param versions of what alcove was compared with
 */
export function conditionsOf(isShort, versions = serverVersions()) {
  const hasChanges = git('status', '--porcelain', '--', '../../lib', '../../decorators') !== ''
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=10', 'HEAD') + (hasChanges ? ' with changes' : ''),
    machine: `${cpus()[0].model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()}`,
    node: process.versions.node,
    versions,
    isShort,
  }
}

/** The line above a table. */
export function describeConditions({ date, commit, machine, node, versions, isShort }) {
  const libraries = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const line = `${date}: ${machine}, Node ${node}, alcove at ${commit}, ${libraries.join(', ')}.`
  return isShort ? `${line} **A short run on a busy machine: only the form of the tables counts.**` : line
}
