export interface NextStepsOptions {
  readonly inContainer: boolean;
  readonly profile: string;
  /** The button's label on the control page. */
  readonly button: string;
  /** A new language needs a rebuild of the processor's image. */
  readonly needsBuild: boolean;
}

export function nextSteps({ inContainer, profile, button, needsBuild }: NextStepsOptions): string {
  if (!inContainer) {
    return [
      'Start the three programs as root, each in a terminal of its own:',
      '  npm run scanner',
      '  npm run processor',
      '  npm start',
      'Then, in a fourth terminal, start a scan:',
      `  npm run scan -- ${profile}`,
      'To start them at boot instead, with these settings:',
      '  sh deploy/systemd/install.sh',
    ].join('\n');
  }
  return [
    'Start the appliance with the new settings:',
    `  docker compose up --detach${needsBuild ? ' --build' : ''}`,
    `Then scan: open http://<address of this machine>:8080/ on your phone, and press "${button}".`,
  ].join('\n');
}
