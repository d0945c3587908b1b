"""What the playground promises, line by line, and the tests of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = {
    node.name
    for path in HERE.glob("test_*.py")
    for node in ast.parse(path.read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef)
}


PROMISES: dict[str, list[str]] = {
    "one page for the static build and for `plait website`; a sentence and links above": [
        "test_the_header_tells_what_plait_is_and_where_files_go",
        "test_the_fonts_are_those_of_the_build",
        "test_the_version_of_plait_is_shown",
        "test_the_theme_is_chosen_and_remembered",
    ],
    "examples are always in sight, with what each shows": [
        "test_examples_are_in_sight_at_all_widths",
        "test_all_examples_are_listed_by_a_button_where_there_is_no_room",
    ],
    "source left, output right at full height, panels whose borders move": [
        "test_the_layout_holds_after_typing",
        "test_the_borders_are_moved_by_mouse_and_by_key_and_stay",
        "test_each_view_of_a_narrow_page_fills_it",
        "test_a_message_of_a_narrow_page_covers_nothing_and_can_be_closed",
    ],
    "why: the lines that decided a value, connected, each a link": [
        "test_a_value_tells_its_history_by_keyboard",
        "test_a_place_of_a_history_leads_to_its_line",
        "test_the_line_that_decided_a_value_stands_out",
        "test_an_explanation_is_not_cut",
    ],
    "why: changed and inserted lines are marked by what changed them": [
        "test_each_value_is_marked_by_the_file_that_decided_it",
        "test_what_an_overlay_matches_is_shown",
    ],
    "why: removed lines can be shown struck through": ["test_removed_lines_are_shown_struck_through"],
    "why: an overlay that matches nothing names the nearest document, and the fix is a button": [
        "test_an_overlay_that_matches_nothing_is_fixed_by_a_button",
        "test_a_fix_is_a_button",
        "test_a_fix_that_only_allows_the_fault_is_not_the_first_choice",
    ],
    "steps: the output builds up, each step with its difference": ["test_steps_build_the_output_up"],
    "change it from the right, with the choice of place": [
        "test_a_value_that_is_typed_over_is_changed_in_its_source",
        "test_a_value_that_no_line_gives_tells_why_and_leads_to_the_lines",
    ],
    "environments: only what differs, with the reason": [
        "test_environments_stand_side_by_side",
        "test_environments_show_what_is_the_same_in_all_if_that_is_wanted",
        "test_equal_environments_say_so_and_can_be_shown",
        "test_a_value_of_an_environment_tells_its_history",
        "test_files_without_environments_get_one_by_a_button",
        "test_a_chosen_environment_is_marked_and_in_the_link",
    ],
    "errors link to their line; the last good output stays": [
        "test_an_error_is_told_and_its_line_marked",
        "test_an_error_begins_with_a_plain_sentence",
        "test_an_error_leads_to_its_line_and_the_last_good_output_stays",
        "test_a_narrow_page_counts_its_errors_where_they_are",
        "test_a_narrow_page_leads_from_no_output_to_the_error",
        "test_the_mark_of_an_error_is_in_sight_in_a_narrow_window",
    ],
    "a command offers an example of its dialect": ["test_a_command_that_fails_on_the_files_offers_an_example"],
    "a link that cannot be read says so": ["test_a_link_that_cannot_be_read_says_so"],
    "bring your own: a folder, an archive, a command line": [
        "test_files_of_ones_own_are_opened",
        "test_a_directory_is_dropped",
        "test_an_archive_is_dropped",
        "test_files_that_are_no_program_together_ask_for_the_command_line",
        "test_files_of_ones_own_are_opened_in_a_narrow_window",
    ],
    "share: the address has texts, selection and open file, and follows each edit": [
        "test_the_address_follows_each_edit",
        "test_a_link_opens_the_same_files",
    ],
    "share: copies as Markdown and as a command; embeds": [
        "test_an_explanation_is_copied_as_markdown_and_as_a_command",
        "test_the_output_and_the_link_are_copied",
        "test_an_embedded_page_has_the_example_alone_and_leads_to_the_whole",
    ],
    "fast: built-in answers, progress, offline, a snapshot": [
        "test_little_is_loaded_before_the_first_answer",
        "test_the_static_page_needs_no_network_after_the_first_visit",
        "test_a_later_visit_restores_python_from_a_snapshot_and_does_without_a_broken_one",
    ],
    "edits are kept": [
        "test_edits_are_there_on_the_next_visit",
        "test_edits_of_an_example_outlive_the_choice_of_another",
        "test_another_example_tells_at_once_that_edits_are_kept",
    ],
    "five widths after typing": ["test_the_layout_holds_after_typing"],
    "axe finds nothing": ["test_axe_finds_nothing", "test_axe_finds_nothing_in_what_the_editor_opens"],
    "keyboard only": ["test_the_five_tasks_are_done_by_keyboard", "test_the_keyboard_leaves_the_editor"],
    "prefers-reduced-motion": ["test_nothing_moves_for_those_who_want_that"],
    "an example's link names the example and contains only edits": ["test_a_link_of_an_example_has_the_edits_alone"],
    "hostile links and names execute nothing; limits hold": [
        "test_markup_in_names_and_texts_is_text_in_all_views",
        "test_names_and_texts_of_a_link_are_shown_as_text",
        "test_an_archive_that_cannot_be_read_or_is_too_large_changes_nothing",
        "test_what_a_text_says_is_not_done",
        "test_what_takes_all_time_or_memory_ends",
        "test_what_takes_too_long_is_ended_and_the_page_goes_on",
        "test_a_worker_that_does_not_answer_is_ended",
        "test_the_policy_allows_files_of_the_page_alone",
    ],
}


@pytest.mark.parametrize("promise", PROMISES)
def test_each_promise_has_tests(promise: str) -> None:
    assert PROMISES[promise]
    assert set(PROMISES[promise]) <= NAMES
