import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const PORT = 4455;
const DRIVER = `http://127.0.0.1:${PORT}`;
const BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** How long to wait for the driver to listen, which it does not report. */
const STARTED_MS = 1000;

const PHONE = { width: 390, height: 844 };

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(DRIVER + url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value)}`);
  return value;
}

export interface WebKitPage {
  evaluate(expression: string): Promise<unknown>;
  open(address: string): Promise<void>;
  /** Clicks the first element that matches, as a finger does. */
  click(selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  windows(): Promise<number>;
  picture(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens WebKitGTK's MiniBrowser at the size of a phone. */
export async function openWebKit(): Promise<WebKitPage> {
  const driver = spawn('WebKitWebDriver', [`--port=${PORT}`], { stdio: 'inherit' });
  await once(driver, 'spawn');
  await wait(STARTED_MS);
  const options = { binary: BROWSER, args: ['--automation'] };
  const { sessionId } = (await command('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  await command('POST', `${session}/window/rect`, PHONE);
  const find = async (selector: string): Promise<string> => {
    const wanted = { using: 'css selector', value: selector };
    const found = await command('POST', `${session}/element`, wanted);
    return `${session}/element/${Object.values(found as object).join('')}`;
  };
  return {
    evaluate: (expression) =>
      command('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
    open: async (url) => void (await command('POST', `${session}/url`, { url })),
    click: async (selector) => void (await command('POST', `${await find(selector)}/click`, {})),
    type: async (selector, text) =>
      void (await command('POST', `${await find(selector)}/value`, { text })),
    windows: async () =>
      ((await command('GET', `${session}/window/handles`)) as readonly string[]).length,
    picture: async (file) => {
      const picture = String(await command('GET', `${session}/screenshot`));
      await writeFile(file, picture, 'base64');
    },
    close: async () => {
      await command('DELETE', session);
      driver.kill();
    },
  };
}
