/* SPDX-License-Identifier: MIT */
/* The commands, each in the file of its name, by main.c's table. */
#ifndef PROFIL_COMMANDS_H
#define PROFIL_COMMANDS_H

/* argv[0] is the command's name; each returns the exit status. */
int cmd_annotate(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif /* PROFIL_COMMANDS_H */
