# Scid's side of peers.rs: makes a base of a PGN file, then runs commands from standard input, a line each.
#
# Arguments: the PGN file, the base to make. Says a line for each command, "MICROSECONDS GAMES" or why it failed;
# the first is for the base, and a line with the version follows it.

fconfigure stdout -buffering line
# Searches report their progress to this.
proc progressCallBack {args} {}

proc timed {command} {
    global base
    set start [clock microseconds]
    if {[catch {uplevel #0 $command} reason]} {
        # Errors of Scid's own are often a number alone.
        puts "refused (error $::errorCode): [lindex [split $reason \n] 0]"
        return
    }
    puts "[expr {[clock microseconds] - $start}] [sc_filter count $base dbfilter]"
}

proc make {pgn name} {
    global base
    set base [sc_base create SCID4 $name]
    sc_base import $base $pgn
    # Opened anew, it is as a user finds it.
    sc_base close $base
    sc_base open $name
    set base [sc_base current]
}

# Games with exactly this position.
proc position {fen} {
    global base
    sc_game startBoard $fen
    sc_filter reset $base dbfilter full
    sc_filter search $base dbfilter board Exact 0 0 -filter AND
}

# A list's part before `word`, and what comes after it.
proc split_at {list word} {
    set at [lsearch -exact $list $word]
    if {$at < 0} {
        return [list $list]
    }
    return [linsert [lrange $list $at+1 end] 0 [lrange $list 0 $at-1]]
}

# Games with so many men (a dictionary, all numbers for those that it does not name) and these patterns for `plies` in a row.
# All bounds are given, for what is not would be none. After `--` come options of the search itself.
proc material {numbers plies args} {
    set words {}
    foreach {man most} {q 9 r 10 b 10 n 10 m 20 p 8} {
        foreach man [list w$man b$man] {
            lappend words -$man [expr {[dict exists $numbers $man] ? [dict get $numbers $man] : [list 0 $most]}]
        }
    }
    set options [lassign [split_at $args --] patterns]
    foreach pattern $patterns {
        lappend words -patt $pattern
    }
    lappend words {*}$options
    # Filter 2 begins with all games.
    sc_search material -filter 2 -range {1 999} -length $plies {*}$words
}

# Runs a command, then says the numbers of the games that it left in the filter, from 1, in a line of their own.
proc listed {command} {
    global base
    uplevel #0 $command
    set numbers {}
    foreach {number line deleted} [sc_base gameslist $base 0 [sc_base numGames $base] dbfilter N+] {
        lappend numbers [lindex [split $number _] 0]
    }
    puts $numbers
}

set rooks {wq {0 0} bq {0 0} wr {1 1} br {1 1} wb {0 0} bb {0 0} wn {0 0} bn {0 0} wm {0 0} bm {0 0}}

lassign $argv pgn name
timed {make $pgn $name}
puts [sc_info version]
while {[gets stdin command] >= 0} {
    timed $command
}
