// One session of a TypeScript SDK client with muxpilot; prints as JSON what the client saw.
// usage: node session.mjs '{"packages": folder, "sdk": "v1" | "v2", "mode": ..., "command": path, "env": {...}}'

import { createRequire } from 'node:module';

const { packages, sdk, mode, command, env } = JSON.parse(process.argv[2]);
const load = createRequire(`${packages}/`);
const [{ Client }, { StdioClientTransport }] =
    sdk === 'v1'
        ? [load('@modelcontextprotocol/sdk/client/index.js'), load('@modelcontextprotocol/sdk/client/stdio.js')]
        : [load('@modelcontextprotocol/client'), load('@modelcontextprotocol/client/stdio')];

const client = new Client({ name: 'session', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, env }));

const request = (name, args, options) => {
    const params = { name, arguments: args };
    return sdk === 'v1' ? client.callTool(params, undefined, options) : client.callTool(params, options);
};
const call = async (name, args = {}) => (await request(name, args)).structuredContent;

/** Waits for what never comes, until the first word of progress; says what came of it. */
async function cancelledWait(target) {
    const progress = [];
    const stop = new AbortController();
    const onprogress = told => {
        progress.push(told);
        stop.abort('enough');
    };
    try {
        await request('wait_for_text', { target, pattern: 'never', timeout: 60 }, { onprogress, signal: stop.signal });
        return { progress, outcome: 'answered' };
    } catch (error) {
        return { progress, outcome: String(error) };
    }
}

/** Follows a resource, as this era does it, until it is told that it has changed. */
async function toldOfChange(uri, change) {
    const told = new Promise(resolve => {
        client.fallbackNotificationHandler = async ({ method, params }) => resolve({ method, uri: params.uri });
    });
    const modern = client.getProtocolEra?.() === 'modern';
    await (modern ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }));
    await change();
    return told;
}

const seen = {
    server: client.getServerVersion(),
    version: client.getNegotiatedProtocolVersion?.(),
    tools: (await client.listTools()).tools.map(tool => tool.name),
    created: await call('create_session', { session_name: 'here' }),
    sessions: await call('list_sessions'),
    ran: await call('run_command', { target: 'here', command: 'printf "%s\\n" one two; false' }),
    terminal: await call('terminal', { command: 'echo $((6 * 7))' }),
    refused: await request('capture_pane', { target: 'nowhere' }),
    resource: (await client.readResource({ uri: 'tmux://sessions/here' })).contents,
    prompts: (await client.listPrompts()).prompts.map(prompt => prompt.name),
    change: await toldOfChange('tmux://sessions/here', () => call('create_window', { target: 'here' })),
    wait: await cancelledWait('here'),
    afterwards: await call('list_sessions'),
};
await client.close();
console.log(JSON.stringify(seen));
